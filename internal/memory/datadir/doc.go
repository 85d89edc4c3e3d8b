// Package datadir is the file that the bot's rows are in: how it is made and
// recognized, migrated, locked, checked for damage, told from a full disk, copied
// and put back. Of what is in it it knows only how much waits to be answered or
// sent, its own heartbeat and the salt of its nonces; the rows are memory's.
package datadir
