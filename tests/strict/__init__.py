"""Tests of the rules by which simulated servers refuse calls, and `make strict`, which plays games under them."""
