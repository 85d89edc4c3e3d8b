package console

// Patterns returns the routes of the owner's part and of the members'.
func (p *Page) Patterns() (owners, members []string) { return p.mux.patterns, p.Members.mux.patterns }
