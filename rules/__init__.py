"""Rules of every game, as pure functions of values: no Discord, files, clock or chance in here."""
