"""The structural model of Assylbekov et al. 2015: two models of token streams, learnt by EM."""
