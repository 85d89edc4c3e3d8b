// Package oblivion has every process forget what one of several was asked to forget, of
// what each keeps for itself: the traces of model calls. What is in the database they
// share is not its matter, nor who may have something forgotten.
package oblivion
