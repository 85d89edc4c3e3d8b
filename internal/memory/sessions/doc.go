// Package sessions is what conversations leave when they are over: the lines that
// matter beyond them, found by code where no model is (Extract), the one page
// that is carried from session to session (Page), and ended sessions as people
// list, find and delete them (Archive). It asks no model and decides nothing
// about living sessions.
package sessions
