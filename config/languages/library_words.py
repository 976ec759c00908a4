"""Sentences of django-allauth whose German says "Sie". They are collected here, so that our catalogue says "du"."""

from django.utils.translation import gettext_noop as _

SENTENCES = (
    _("Use your password"),
    _("Use authenticator app or code"),
    _("You cannot add an email address to an account protected by two-factor authentication."),
    _("You cannot deactivate two-factor authentication."),
    _("You cannot generate recovery codes without having two-factor authentication enabled."),
    _("You cannot activate two-factor authentication until you have verified your email address."),
    _("You cannot disconnect your last remaining third-party account."),
    _("You are receiving this mail because the following change was made to your account:"),
    _("Your email has been changed from %(from_email)s to %(to_email)s."),
    _("Your email has been confirmed."),
    _(
        "You're receiving this email because user %(user_display)s has given your email address to register an account"
        " on %(site_domain)s."
    ),
    _("To confirm this is correct, go to %(activate_url)s"),
    _("Email address %(deleted_email)s has been removed from your account."),
    _("This mail can be safely ignored if you did not initiate this action."),
    _("Your password has been reset."),
    _("Your password has been set."),
    _(
        "You are receiving this email because you, or someone else, tried to access an account with email %(email)s."
        " However, we do not have any record of such an account in our database."
    ),
    _("If it was you, you can sign up for an account using the link below."),
)
