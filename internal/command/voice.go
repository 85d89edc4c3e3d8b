package command

import (
	"context"

	"parley/internal/chat"
	"parley/internal/command/gate"
	"parley/internal/text/catalog"
)

// Voice is /voice; without Speaks there is no such command.
type Voice struct {
	Rows VoiceRows
	// Speaks reports whether the platform of a message plays recordings.
	Speaks func(m chat.Message) bool
}

// VoiceRows is when people want answers spoken, by their ids; memory.People.
type VoiceRows interface {
	Voice(ctx context.Context, person string) (when string, err error)
	SetVoice(ctx context.Context, person, when string) error
}

// When somebody wants answers spoken; "" is never.
const (
	VoiceOn    = "on"    // always
	VoiceReply = "reply" // to what they spoke themselves
)

// voiceOff takes a choice back.
const voiceOff = "off"

func (v Voice) commands() []gate.Command {
	if v.Speaks == nil {
		return nil
	}
	return []gate.Command{{Name: "voice", Help: "Hear my answers, too", Effect: gate.ReadsBare, Quiet: true, Run: v.run,
		Options: []gate.Option{{Name: "when", Help: "on, off, or reply: when you speak to me",
			Choices: []string{VoiceOn, VoiceReply, voiceOff}}}}}
}

func (v Voice) run(ctx context.Context, r gate.Request) (chat.Answer, error) {
	when, set := r.Args["when"], r.Args["when"] != ""
	switch {
	case !v.Speaks(r.Message):
		return say(ctx, "Nothing can be played here. On Telegram and Discord I can speak my answers.")
	case set:
		if when == voiceOff {
			when = ""
		}
		if err := v.Rows.SetVoice(ctx, r.Message.From.ID, when); err != nil {
			return chat.Answer{}, err
		}
	default:
		var err error
		if when, err = v.Rows.Voice(ctx, r.Message.From.ID); err != nil {
			return chat.Answer{}, err
		}
	}
	a := chat.Answer{Text: catalog.Text(ctx, "I write my answers and do not speak them.")}
	switch when {
	case VoiceOn:
		a.Text = catalog.Text(ctx, "I speak my answers to you, too. The text is always there; of a long one I say the gist.")
	case VoiceReply:
		a.Text = catalog.Text(ctx, "When you speak to me, I speak, too. The text is always there; of a long one I say the gist.")
	}
	if !set {
		a.Buttons = [][]chat.Button{v.choices(ctx, when)}
	}
	return a, nil
}

// choices are buttons for what is not chosen.
func (v Voice) choices(ctx context.Context, when string) (row []chat.Button) {
	for _, c := range []struct {
		when string
		chat.Button
	}{
		{VoiceOn, chat.Button{Label: catalog.Text(ctx, "Always speak"), Data: "/voice " + VoiceOn}},
		{VoiceReply, chat.Button{Label: catalog.Text(ctx, "When I speak"), Data: "/voice " + VoiceReply}},
		{"", chat.Button{Label: catalog.Text(ctx, "Never speak"), Data: "/voice " + voiceOff}},
	} {
		if c.when != when {
			row = append(row, c.Button)
		}
	}
	return row
}
