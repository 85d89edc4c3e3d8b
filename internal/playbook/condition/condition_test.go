package condition

import (
	"strings"
	"testing"

	"parley/internal/playbook/value"
)

var events = []string{"start", "file"}

// said is what is known when somebody writes a text: vip is "yes", the tool lookup
// said that the order is lost, and a model found the person angry.
func said(text string) *Evidence {
	return &Evidence{Text: text, Lower: strings.ToLower(text), Threshold: 0.3,
		Variable: func(t value.Test) bool { return t.Holds("yes", t.Name == "vip") },
		Event:    func(name string) bool { return name == "file" },
		Tool: func(name string, t value.Test) bool {
			known := name == "lookup" && (t.Name == "ok" || t.Name == "result.status")
			return t.Holds("lost", known)
		},
		Verdict: func(words string) (float64, string, bool) {
			switch words {
			case "the person is angry":
				return 0.6, "shouts", true
			case "the person is calm":
				return 0, "", true
			}
			return 0, "", false
		},
	}
}

func TestHolds(t *testing.T) {
	for _, test := range []struct {
		condition, text string
		want            float64
	}{
		{"always", "", 1},
		{"literal:sing", "using it", 0},
		{"literal:sing", "I SING.", 1},
		{"literal:sing", "using, then sing", 1},
		{"literal:c++", "about c++?", 1},
		{"literal:c++", "about abc++", 0},
		{"literal:terms AND conditions", "Terms and Conditions", 1},
		{"literal:返品", "この商品を返品したい", 1},
		{"literal:straße", "die STRASSE", 0},
		{"literal:a\u0301", "a\u0301", 1},
		{"regex:re.und", "my refund", 0.9},
		{"regex:a AND b", "a AND b", 0.9},
		{"var:vip = yes", "", 1},
		{"event:file", "", 1},
		{"tool:lookup", "", 1},
		{"tool:lookup failed", "", 0},
		{"tool:lookup result.status = lost", "", 1},
		{"tool:lookup result.status in found, here", "", 0},
		{"tool:other", "", 0},
		{"the person is angry", "", 0.6},
		{"plain:the person is angry", "", 0.6},

		{"literal:refund AND var:vip = yes", "a refund", 1},
		{"literal:refund AND var:vip = no", "a refund", 0},
		{"the person is angry AND literal:refund", "a refund", 0.6},
		{"literal:refund OR literal:return", "I return it", 1},
		{"literal:x OR literal:refund AND var:vip = no", "x", 1},
		{"literal:x AND literal:y OR event:file", "", 1},
		{"NOT literal:refund", "hello", 1},
		{"NOT literal:refund", "refund", 0},
		{"event:file AND NOT regex:no", "no file", 0},
		{"NOT plain:the person is calm", "", 1},
		{"NOT plain:the person is angry", "", 0},
		{"NOT plain:nobody judged this", "", 0},
	} {
		c, err := Parse(test.condition, events)
		if err != nil {
			t.Errorf("%s: %v", test.condition, err)
			continue
		}
		if got, why := c.Holds(said(test.text)); got != test.want || (got > 0) != (why != "") {
			t.Errorf("%s on %q: %v (%s), want %v", test.condition, test.text, got, why, test.want)
		}
	}
}

// What somebody forwarded decides nothing by its words, said or not said.
func TestMute(t *testing.T) {
	for _, text := range []string{"literal:refund", "regex:refund", "NOT literal:help", "literal:refund OR regex:x"} {
		c, err := Parse(text, events)
		e := said("refund")
		e.Mute = true
		if score, _ := c.Holds(e); score > 0 || err != nil {
			t.Errorf("%s: %v, %v", text, score, err)
		}
	}
}

func TestOpen(t *testing.T) {
	for text, want := range map[string]string{
		"it rains":                              "it rains",
		"literal:refund AND plain:it rains":     "it rains",
		"literal:nothing AND plain:it rains":    "",
		"literal:refund OR plain:it rains":      "",
		"plain:it rains AND plain:it is late":   "it rains|it is late",
		"literal:x AND plain:a OR plain:b":      "b",
		"literal:refund":                        "",
		"NOT plain:it rains AND literal:refund": "it rains",
	} {
		c, err := Parse(text, events)
		if got := strings.Join(c.Open(said("refund")), "|"); got != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"literl:x":                     `did you mean "literal:"?`,
		"literal:x AND event:strat":    `did you mean "start"?`,
		"tool:lookup results.x = 1":    "is not a test of a tool",
		"var:x AND regex:(":            "missing closing",
		"literal:a OR var:x isnt set ": "is not a test",
	} {
		if _, err := Parse(text, events); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
