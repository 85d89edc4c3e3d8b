// Package modellog stores the exact request and answer of each model call for the owner, for
// some days and within some space, in a separate file. It never delays a call: what it cannot
// take at once it drops and counts. If a call may contain words that must be forgotten, it
// deletes the call.
package modellog
