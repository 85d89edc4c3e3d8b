package gate

import "parley/internal/chat"

// audiences are the roles of a command table as menus know them.
var audiences = map[Role]chat.Audience{Anyone: chat.Everybody, Stranger: chat.Members, Member: chat.Members,
	Admin: chat.Admins, Owner: chat.Owners}

// Menu returns a command table as platforms show it.
func Menu(table []Command) (list []chat.MenuCommand) {
	for _, c := range table {
		m := chat.MenuCommand{Name: c.Name, Help: c.Help, Who: audiences[c.Who], Least: audiences[c.Least()], Verbs: Menu(c.Verbs)}
		for _, o := range c.Options {
			if o.Hidden {
				continue
			}
			m.Options = append(m.Options, chat.MenuOption{Name: o.Name, Help: o.Help, Kind: chat.OptionKind(o.Kind),
				Required: o.Required, Choices: o.Choices, Suggests: o.Suggests(), Long: o.Long})
		}
		list = append(list, m)
	}
	return list
}
