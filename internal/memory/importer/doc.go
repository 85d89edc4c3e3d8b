// Package importer reads conversations as other programs exported them: JSON lines,
// one message each, and Telegram Desktop's result.json. It stores nothing and
// knows no database.
package importer
