"""How good a result is, measured against gold: precision, recall, F1 and calibration."""
