import os

# Before numpy is loaded: games are played side by side in processes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
