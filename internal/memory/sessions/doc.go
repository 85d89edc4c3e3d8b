// Package sessions handles what conversations leave when they end: sentences worth keeping,
// found by code (Extract); the page of lines that each session hands to the next (Page); and
// the ended sessions that people list, find and delete (Archive). It asks no model and
// decides nothing about live sessions.
package sessions
