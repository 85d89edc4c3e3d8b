// Package facts remembers facts about people and places. Store saves, corrects and finds
// them, with their history and vectors, and merges them with a file that the owner edits.
// Service changes them for everybody who asks: the model's tools, people with /facts, and
// the operator. It holds the rules for who may decide something for everybody in a place,
// and for what is never remembered. The package reads no file and knows no model or
// command.
package facts
