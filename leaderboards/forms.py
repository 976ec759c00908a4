"""Forms of the privacy page: what a player hides, and the confirmation before a player leaves for good."""

from typing import Any

from django import forms
from django.utils.translation import gettext as _

from ranking.models import Player

LONGEST_NAME = 64


class PrivacyForm(forms.ModelForm[Player]):
    """Switches for what a player hides. Their labels are those of the model's fields."""

    class Meta:
        model = Player
        fields = ("hides_matches", "hides_playing", "hides_from_friends")

    def save(self, commit: bool = True) -> Player:
        self.instance.save(update_fields=self.changed_data)  # doesn't undo a rename by the game meanwhile
        return self.instance


class LeavingForm(forms.Form):
    """Asks players to type their own name before it is deleted for good."""

    name = forms.CharField(max_length=LONGEST_NAME)

    def __init__(self, player: Player, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.player = player

    def clean_name(self) -> str:
        name: str = self.cleaned_data["name"]
        if name != self.player.name:
            sentence = _("That isn’t your name; type “%(player)s”, capitals and all.")
            raise forms.ValidationError(sentence % {"player": self.player.name})
        return name
