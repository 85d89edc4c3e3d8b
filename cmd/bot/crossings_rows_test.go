package main

import (
	"slices"
	"strings"
)

// pinned are crossings that were broken once, as PLAY names them: they are always played.
var pinned = []string{
	"telegram sqlite nothing 1 opposite slow",
	"discord sqlite nothing 2 opposite slow",
	"telegram sqlite forbid 5 pay slow",
	"discord sqlite forbid 6 pay slow",
	"telegram sqlite kill 3 pay journey",
	"telegram sqlite chance 4 journey two",
	"telegram sqlite nothing 5 pay quota",
	"telegram sqlite kill 6 pay quota",
	"discord sqlite kill 5 once slow",
	"telegram sqlite kill 7 once slow",
	"telegram sqlite nothing 8 asks quota slow",
	"telegram sqlite nothing 9 asks outage",
	"telegram sqlite away 10 remind slow",
	"telegram sqlite kill 11 handover blocked",
	"telegram sqlite kill 12 handover forget",
	"telegram sqlite migrate 13 handover pay",
	"telegram sqlite kill 14 handover agent",
	"discord sqlite kill 15 delete slow",
	"discord sqlite nothing 16 edit slow",
	"telegram sqlite nothing 17 fact slow",
	"terminal sqlite kill 18 fact slow",
	"telegram sqlite kill 19 draw slow",
	"discord sqlite kill 20 draw slow",
	"discord sqlite nothing 21 unsaid slow",
	"discord sqlite nothing 22 unlearn slow",
	"telegram sqlite kill 23 pay session",
	"telegram sqlite kill 24 agent pay",
	"telegram sqlite migrate 25 agent remind",
	"telegram sqlite nothing 26 pay restore",
	"discord sqlite nothing 7094 handover restore",
	"discord sqlite kill 7120 stop restore",
	"telegram sqlite nothing 27 forget restore",
	"telegram sqlite point 28 pay handover",
	"telegram sqlite nothing 29 stop pay",
	"telegram sqlite kill 555360 opposite outage",
	"discord sqlite nothing 5 inquiry",
	"telegram sqlite late 5 pay",
	"discord sqlite nothing 4 pay unlearn",
	"discord sqlite point 265174 draw session",
	"discord sqlite point 372868 errand restore ponder",
	"telegram sqlite point 811904 draw restore",
	"telegram sqlite migrate 327448 inquiry outage",
	"discord sqlite chance 998710 once undo",
	"discord sqlite chance 950032 slow undo",
	"discord sqlite kill 643351 choose errand",
	"telegram sqlite chance 552377 ponder resume",
	"discord sqlite chance 757461 resume unlearn",
	"telegram sqlite migrate 599074 edit inquiry",
	"discord sqlite reload 63727 undo unlearn",
	"discord sqlite chance 553217 restore slash",
	"telegram sqlite chance 533479 digest session",
	"telegram sqlite reload 869620 fact undo blocked",
	"discord sqlite late 824617 errand overhear",
}

// owed are promises that are known not to hold: in crossings of a player, or with
// something between, that a broken promise says so is logged and fails nothing.
var owed = []struct{ with, broken string }{}

// due splits what is broken into what fails, and what is owed.
func (s script) due(broken []string) (fails, known []string) {
	for _, b := range broken {
		if slices.ContainsFunc(owed, func(o struct{ with, broken string }) bool {
			return strings.Contains(b, o.broken) && (s.between == o.with || slices.Contains(s.players, o.with))
		}) {
			known = append(known, b)
		} else {
			fails = append(fails, b)
		}
	}
	return fails, known
}
