package offline

import (
	"strings"
	"testing"

	"parley/internal/llm"
)

// Deeds on all reminders, or those of a day, are read whole; what sounds like one is not.
func TestDeedsOnSeveralReminders(t *testing.T) {
	for said, want := range map[string]string{
		"delete all my reminders": "cancel_reminders{}", "delete tomorrow's reminders": `cancel_reminders{"day":"tomorrow"}`,
		"Please cancel all reminders":                "cancel_reminders{}",
		"can you delete all of my reminders please?": "cancel_reminders{}", "clear my reminders": "cancel_reminders{}",
		"cancel all my reminders for tomorrow":              `cancel_reminders{"day":"tomorrow"}`,
		"move all of tomorrow's reminders to monday":        `move_reminders{"day":"tomorrow","when":"monday"}`,
		"push all of tomorrow's to Monday":                  `move_reminders{"day":"tomorrow","when":"Monday"}`,
		"lösche alle meine Erinnerungen":                    "cancel_reminders{}",
		"Lösche bitte alle Erinnerungen":                    "cancel_reminders{}",
		"lösche alle Erinnerungen für morgen":               `cancel_reminders{"day":"morgen"}`,
		"verschiebe alles von morgen auf Montag":            `move_reminders{"day":"morgen","when":"Montag"}`,
		"borra todos mis recordatorios":                     "cancel_reminders{}",
		"pasa todos los recordatorios de mañana al lunes":   `move_reminders{"day":"mañana","when":"lunes"}`,
		"supprime tous mes rappels":                         "cancel_reminders{}",
		"reporte tous mes rappels de demain à lundi":        `move_reminders{"day":"demain","when":"lundi"}`,
		"удали все мои напоминания":                         "cancel_reminders{}",
		"перенеси все напоминания на завтра на понедельник": `move_reminders{"day":"завтра","when":"понедельник"}`,
		"删除所有提醒":                                            "cancel_reminders{}", "把我的所有提醒都删掉": "cancel_reminders{}",
		"把明天的所有提醒都改到下周一":                    `move_reminders{"day":"明天","when":"下周一"}`,
		"should I delete all my reminders?": "", "cancel all my reminders about my ex": "", "soll ich alle Erinnerungen löschen?": "",
		"move all of tomorrow's furniture to the cellar": "",
	} {
		if got := lane(t, says(said)); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
}

// "no, at six" moves a reminder in the turn after the one that set it, and nothing later on.
func TestACorrectionMovesTheReminderJustSet(t *testing.T) {
	set := []llm.Message{says("remind me at 5pm to call mum"),
		{Role: llm.RoleAssistant, ToolCalls: []llm.ToolCall{{ID: "1", Name: "set_reminder", Args: `{}`}}},
		{Role: llm.RoleTool, Name: "set_reminder", ToolCallID: "1", Content: "我会提醒你（#7）“看牙医”。"},
		{Role: llm.RoleAssistant, Content: "Done."}}
	for said, when := range map[string]string{"no, at six": "at six", "no, 6pm": "6pm", "sorry, make it 6pm": "6pm",
		"push it to five": "at five",
		"make that 18:30": "18:30", "at 6pm instead": "6pm", "nein, um sechs": "um sechs", "lieber um 18 Uhr": "um 18 Uhr",
		"mach es um 18 Uhr": "um 18 Uhr",
		"no, a las seis":    "a las seis", "mejor a las 18:00": "a las 18:00", "non, plutôt à 18h": "à 18h", "нет, в шесть": "в шесть",
		"лучше в 18:00": "в 18:00", "不，晚上六点": "晚上六点", "改成下午六点吧": "下午六点"} {
		got := lane(t, append(set[:4:4], says(said))...)
		if !strings.HasPrefix(got, "move_reminder") || !strings.Contains(got, `"id":7`) || !strings.Contains(got, `"when":"`+when+`"`) {
			t.Errorf("%q: %s", said, got)
		}
	}
	for _, said := range []string{"no", "no, Bob", "no, at six is too early for me", "nein, um sechs bin ich weg"} {
		if got := lane(t, append(set[:4:4], says(said))...); strings.HasPrefix(got, "move_reminder") {
			t.Errorf("%q: %s", said, got)
		}
	}
	later := append(set[:4:4], says("shall we eat at five?"), llm.Message{Role: llm.RoleAssistant, Content: "Sure."}, says("no, at six"))
	if got := lane(t, later...); strings.HasPrefix(got, "move_reminder") {
		t.Errorf("a turn later: %s", got)
	}
	if got := lane(t, says("no, at six")); got != "" {
		t.Errorf("after nothing: %s", got)
	}
}

// Who is woken on another day is woken in the morning, unless they say otherwise.
func TestPeopleAreWokenInTheMorning(t *testing.T) {
	for said, want := range map[string]string{
		"wake me up tomorrow at 6": "tomorrow at 6 in the morning", "wake me tomorrow at 6pm": "tomorrow at 6pm",
		"wake me at 6":       "at 6",
		"set an alarm for 7": "at 7", "wake me in 20 minutes": "in 20 minutes",
		"despiértame mañana a las 6": "mañana a las 6 de la mañana",
		"разбуди меня завтра в 6":    "завтра в 6 утра", "设一个明天六点半的闹钟": "明天六点半早上", "weck mich morgen um 6": "morgen um 6",
	} {
		if got := does(t, said); !strings.HasSuffix(got, " when="+want) {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
}
