"""The Sailing Season: campaigns on a sea map, whose battles are games of War Galley."""
