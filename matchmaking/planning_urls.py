"""Addresses of the operators' pages for planning, in the admin and behind its door."""

from django.contrib import admin
from django.urls import path

from matchmaking import planningviews

app_name = "planning"
urlpatterns = [
    path("", admin.site.admin_view(planningviews.plan_view), name="plan"),
    path("simulation/", admin.site.admin_view(planningviews.simulate_view), name="simulate"),
]
