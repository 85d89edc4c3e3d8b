package offline

import (
	"strings"
	"testing"
)

// A reminder of whose time only a part was read is asked about: what was read is named,
// nothing is set, and the answer completes it.
func TestPartsOfTimesAreAsked(t *testing.T) {
	for _, tt := range []struct {
		said []string
		want string
	}{
		{[]string{"remind me to call mum tomorrow before 4pm"}, "I read “4pm”, but not “tomorrow before”"},
		{[]string{"remind me tomorrow to call mum before 4pm"}, "I read “tomorrow 4pm”, but not “before”"},
		{[]string{"remind me on the last weekday of each month to send the invoice"}, "I read “on the last”, but not “weekday of each month”"},
		{[]string{"remind me to take the pills at 8pm and 8am"}, "I read “8am”, but not “at 8pm and”"},
		{[]string{"set a reminder for tomorrow before 4pm"}, "but not “before"},
		{[]string{"wake me up tomorrow after 7"}, "but not “after"},
		{[]string{"Erinnere mich Mittwoch in 2 Wochen an den Arzt"}, "I read “Mittwoch”, but not “in 2 Wochen”"},
		{[]string{"напомни завтра в полдевятого позвонить маме"}, "I read “завтра”, but not “в полдевятого”"},
		{[]string{"remind me to call mum tomorrow before 4pm", "tomorrow at 3pm"}, "set_reminder text=call mum when=tomorrow at 3pm"},
		{[]string{"remind me to call mum tomorrow before 4pm", "before 4pm"}, "but not “before”"},
		{[]string{"remind me to call mum tomorrow before 4pm", "before 4pm", "at 3pm"}, "set_reminder text=call mum when=tomorrow at 3pm"},
		{[]string{"remind me to call mum tomorrow before 4pm", "at 15:00"}, "set_reminder text=call mum when=tomorrow at 15:00"},
		{[]string{"remind me tomorrow to call mum before 4pm", "3pm"}, "set_reminder text=call mum when=tomorrow 3pm"},
		{[]string{"remind me to call mum tomorrow before 4pm", "on friday at 3pm"}, "set_reminder text=call mum when=on friday at 3pm"},
		{[]string{"Erinnere mich morgen vor 12 Uhr an den Arzt", "um 11"}, "set_reminder text=den Arzt when=morgen um 11"},
		{[]string{"remind me", "call mum tomorrow before 4pm", "tomorrow at 3pm"}, "set_reminder text=call mum when=tomorrow at 3pm"},
		{[]string{"remind me to buy 2 pills tomorrow at 9"}, "set_reminder text=buy 2 pills when=tomorrow at 9"},
	} {
		if got := does(t, tt.said...); !strings.Contains(got, tt.want) {
			t.Errorf("%q: %q, want %q", tt.said, got, tt.want)
		}
	}
}
