"""The site's URLs, and those of two providers: OpenID Connect, if it is configured, and one that believes anything."""

from django.urls import include, path

urlpatterns = [
    path("account/", include("config.people.oidc_urls")),
    path("account/", include("allauth.socialaccount.providers.dummy.urls")),
    path("", include("config.urls")),
]
