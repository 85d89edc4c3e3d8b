// Package modellog keeps the exact request and answer of each model call for the owner to
// read, for some days and within some space, in a file of its own. It never holds up
// a call: what cannot be kept at once is dropped, and counted. Where it cannot be sure
// that a call has none of the words that are to be forgotten, it deletes the call.
package modellog
