"""URLs of the log-in by OpenID Connect: the library's views, and a page if the provider gives no usable answer."""

from collections.abc import Callable
from functools import wraps

from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.helpers import render_authentication_error
from allauth.socialaccount.providers.openid_connect import views
from django.http import HttpRequest, HttpResponseBase
from django.urls import path
from requests import RequestException

View = Callable[[HttpRequest, str], HttpResponseBase]


def refuse_nonsense(view: View) -> View:
    """Wrap a view: a provider that is away, or leaves out what it must say, is an error page; the adapter logs it."""

    @wraps(view)
    def page(request: HttpRequest, provider_id: str) -> HttpResponseBase:
        try:
            return view(request, provider_id)
        except (RequestException, KeyError, ValueError) as error:
            provider = get_adapter().get_provider(request, provider=provider_id)
            return render_authentication_error(request, provider, exception=error)  # type: ignore[no-any-return]

    return page


urlpatterns = [
    path("oidc/<provider_id>/login/", refuse_nonsense(views.login), name="openid_connect_login"),
    path("oidc/<provider_id>/login/callback/", refuse_nonsense(views.callback), name="openid_connect_callback"),
]
