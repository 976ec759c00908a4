"""Sentences of django-allauth whose German says "Sie" or has mistakes; the catalogue that they join here mends it."""

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
    _(
        "If you do not recognize this change then please take proper security precautions immediately."
        " The change to your account originates from:\n\n"
        "- IP address: %(ip)s\n- Browser: %(user_agent)s\n- Date: %(timestamp)s"
    ),
    _("A third-party account from %(provider)s has been connected to your account."),
    _("A third-party account from %(provider)s has been disconnected from your account."),
    _("Thank you for using %(site_name)s!\n%(site_domain)s"),
    _(
        "You're receiving this email because you or someone else has requested a password reset for your user account."
        "\nIt can be safely ignored if you did not request a password reset. Click the link below to reset your"
        " password."
    ),
    _("In case you forgot, your username is %(username)s."),
    _(
        "You are receiving this email because you or someone else tried to signup for an\naccount using email address:"
        "\n\n%(email)s\n\nHowever, an account using that email address already exists.  In case you have\nforgotten"
        " about this, please use the password forgotten procedure to recover\nyour account:\n\n%(password_reset_url)s"
    ),
    _("You must type the same password each time."),
    _("Password successfully set."),
)
