package playbook

import (
	"fmt"
	"strings"

	"parley/internal/playbook/sheet"
	"parley/internal/text"
)

// Draw shows a journey as a Mermaid flowchart and as plain text, the current
// step marked when st is in it.
func (b *Book) Draw(id string, st State) (mermaid, text string, err error) {
	j, ok := b.journeys[id]
	if !ok {
		return "", "", fmt.Errorf("%w %q%s", ErrUnknownJourney, id, sheet.Suggest(id, sortedKeys(b.journeys)))
	}
	current := ""
	if r, _ := st.read(); r.home(j).open(id) != nil {
		current = r.home(j).open(id).Step
	}
	return j.mermaid(current), j.plainText(current), nil
}

func (j *Journey) mermaid(current string) string {
	var b strings.Builder
	b.WriteString("flowchart TD\n")
	index := map[string]int{}
	for i, s := range j.Steps {
		index[s.ID] = i
	}
	for i, s := range j.Steps {
		left, right := "[", "]"
		if s.IsTerminal {
			left, right = "([", "])"
		}
		fmt.Fprintf(&b, "    s%d%s\"%s\"%s\n", i, left, mermaidText(s.Name), right)
	}
	fmt.Fprintf(&b, "    begin(( )) --> s%d\n", index[j.InitialStep])
	for i, s := range j.Steps {
		for _, tr := range s.Transitions {
			label := ""
			if tr.Condition != "" {
				label = fmt.Sprintf("|\"%s\"|", mermaidText(text.Shorten(tr.Condition, 60)))
			}
			fmt.Fprintf(&b, "    s%d -->%s s%d\n", i, label, index[tr.ToStep])
		}
	}
	if i, ok := index[current]; ok && current != "" {
		fmt.Fprintf(&b, "    classDef current fill:#ffd866,stroke:#333,stroke-width:3px\n    class s%d current\n", i)
	}
	return b.String()
}

// mermaidText keeps a label from ending its quotes or being read as markup.
func mermaidText(s string) string {
	return strings.NewReplacer(`"`, "#quot;", "<", "#lt;", ">", "#gt;", "`", "#96;", "\n", " ").Replace(s)
}

func (j *Journey) plainText(current string) string {
	var b strings.Builder
	b.WriteString(j.Name + "\n")
	for _, s := range j.Steps {
		mark, end := "  ", ""
		if s.ID == current {
			mark = "> "
		}
		if s.IsTerminal {
			end = " (end)"
		}
		fmt.Fprintf(&b, "%s%s%s\n", mark, s.Name, end)
		for _, tr := range s.Transitions {
			when := ""
			if tr.Condition != "" {
				when = " if " + text.Shorten(tr.Condition, 60)
			}
			fmt.Fprintf(&b, "    -> %s%s\n", j.steps[tr.ToStep].Name, when)
		}
	}
	return b.String()
}
