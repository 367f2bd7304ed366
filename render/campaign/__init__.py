"""What is seen of The Sailing Season: a sea chart."""

from render.campaign.painter import PAINTER

__all__ = ["PAINTER"]
