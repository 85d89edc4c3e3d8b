package gate

import (
	"cmp"
	"fmt"
	"strings"
)

// Markdown returns every command as the table in docs/commands.md.
func (c *Commands) Markdown() string {
	var b strings.Builder
	b.WriteString("| command | who | answer | does |\n|---|---|---|---|\n")
	row := func(path string, cmd Command) {
		seen := ""
		if cmd.Private {
			seen = "private"
		}
		usage := strings.ReplaceAll(cmd.usage(path), "|", `\|`)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", usage, cmp.Or(cmd.Who, Member), seen, cmd.Help)
	}
	for _, cmd := range c.table {
		if cmd.Run != nil {
			row(cmd.Name, cmd)
		}
		for _, v := range inherited(cmd) {
			row(cmd.Name+" "+v.Name, v)
		}
	}
	return b.String()
}
