"""Addresses of the admin's pages."""

from django.urls import reverse


def page(row):
    return reverse(f"admin:ranking_{row._meta.model_name}_change", args=[row.pk])
