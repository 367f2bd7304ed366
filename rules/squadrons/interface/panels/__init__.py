"""Make the buttons and menus with which captains write a sheet."""
