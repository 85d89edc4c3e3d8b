// Package command is what people type in a chat: one struct for each group of
// slash commands, with the narrow view of the bot that the group needs. A group
// is data (admin.Command) and the functions behind it; Groups puts them in the
// order of /help.
//
// It does not decide who may run what, parse lines or ask for a yes: admin does.
// It asks no model (/ask hands a message on), holds no SQL and starts nothing.
// An error that may be shown to people is a text.Error; admin answers with it.
package command
