package chat

import "strings"

// HookDo is what becomes of the words that a webhook brought.
type HookDo string

// What can be done with them. The zero HookDo is for what people wrote.
const (
	HookSay  HookDo = "say"  // said in the conversation as they are
	HookAsk  HookDo = "ask"  // given to the agent, as nobody's words
	HookKeep HookDo = "keep" // kept in the transcript
)

// hookScope begins the ids of webhooks, where those of people have their platform.
const hookScope = "hook:"

// HookUser is the author of what a webhook brings. It is no person, and no platform has it.
func HookUser(name string) User { return User{ID: hookScope + name, Name: name} }

// IsHook reports whether an author is a webhook.
func (u User) IsHook() bool { return strings.HasPrefix(u.ID, hookScope) }

// AsHook makes m one that the webhook wrote which was asked something: its question is
// answered by somebody else.
func (m Message) AsHook(hook User) Message {
	m.From, m.Admin, m.Hook, m.Unasked, m.Forwarded = hook, false, HookAsk, true, true
	return m
}
