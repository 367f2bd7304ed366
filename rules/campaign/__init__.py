"""The Sailing Season: campaigns on a sea map, whose battles are games of War Galley."""

from rules.campaign.game import Campaign

GAME = Campaign()
