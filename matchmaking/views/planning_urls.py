"""URLs of the operators' pages for planning, which only admins may open."""

from django.contrib import admin
from django.urls import path

from matchmaking.views import planning

app_name = "planning"
urlpatterns = [
    path("", admin.site.admin_view(planning.plan_view), name="plan"),
    path("simulation/", admin.site.admin_view(planning.simulate_view), name="simulate"),
]
