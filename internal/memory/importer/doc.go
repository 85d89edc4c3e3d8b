// Package importer reads conversations as other programs exported them: JSON lines,
// one message each, and Telegram Desktop's result.json. It checks all of an export and
// sorts it by place and time in little memory, with a scratch file that it is given. It
// knows no database.
package importer
