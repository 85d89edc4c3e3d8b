// Package transfer copies all rows of a database to one of another kind, from SQLite to
// PostgreSQL or back, and compares what arrived. Both have their schemas already. It
// knows what no table means, and does not decide which of the two is used from then on.
package transfer
