"""Pictures of The Sailing Season: a sea chart and its films."""

from render.campaign.painter import PAINTER

__all__ = ["PAINTER"]
