package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/config"
	"parley/internal/app/setup"
	"parley/internal/text"
	"parley/internal/text/catalog"
	"parley/internal/tools/mcp"
	"parley/internal/tools/rest"
)

// servers connects to all tool servers, as startup does, and pins nothing. It says which
// are not ready yet each time that takes doctorWait longer.
func (d *doctor) servers(ctx context.Context, cfg config.Config) {
	o := setup.ToolServers(cfg)
	var counts []int
	var errs []error
	over := make(chan int)
	go func() {
		defer close(over)
		counts, errs = mcp.Probe(ctx, o, func(server int) { over <- server })
	}()
	still := d.names(o.Servers)
	slow := time.NewTicker(doctorWait)
	defer slow.Stop()
	for open, server := true, 0; open; {
		select {
		case server, open = <-over:
			if open {
				delete(still, server)
			}
		case <-slow.C:
			d.say("...", "mcp", "still starting: %s", strings.Join(slices.Sorted(maps.Values(still)), ", "))
		}
	}
	for i, s := range o.Servers {
		name := catalog.Fill("mcp %s", s.Name)
		if errors.Is(errs[i], mcp.ErrLogin) {
			d.say("warn", name, "it wants a login: run bot mcp login %[1]s, or send /tools login %[1]s", s.Name)
			continue
		}
		d.line(name, errs[i], "it has %s", catalog.Count{N: counts[i], Thing: "tool"})
	}
}

// names returns the names of servers by their place.
func (*doctor) names(servers []mcp.Server) map[int]string {
	names := map[int]string{}
	for i, s := range servers {
		names[i] = s.Name
	}
	return names
}

// services checks the HTTP tools, and that their hosts answer. It calls no tool.
func (d *doctor) services(ctx context.Context, cfg config.Config) {
	list, err := setup.ServiceCalls(cfg, func(file, operation, why string) {
		d.say("warn", "tools.openapi", "%s: %s is no tool: %s", file, operation, why)
	})
	if err != nil {
		d.line("http tools", err, "")
		return
	}
	var hosts []string
	names := map[string][]string{}
	for _, c := range list {
		at := rest.Origin(c.URL)
		if names[at] == nil {
			hosts = append(hosts, at)
		}
		names[at] = append(names[at], c.Name)
	}
	errs := probed(ctx, len(hosts), func(ctx context.Context, i int) error { return rest.Probe(ctx, hosts[i]) })
	for i, at := range hosts {
		d.line("http tools", errs[i], "%s answers: %s", at, catalog.Count{N: len(names[at]), Thing: "tool"})
	}
}

// probed probes n servers at once, each for doctorWait at most.
func probed(ctx context.Context, n int, probe func(ctx context.Context, i int) error) []error {
	errs := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, doctorWait)
			defer cancel()
			errs[i] = probe(ctx, i)
		})
	}
	all.Wait()
	return errs
}

// MCPLogin logs in to a tool server.
type MCPLogin struct {
	Name string `arg:"" help:"The server's name in mcp.servers."`
}

// Run prints the address to open and waits until the browser returns to this machine, or
// until the address is pasted. A running bot uses the login at once.
func (c MCPLogin) Run(ctx context.Context, cfg config.Config, s *Streams) error {
	client, err := toolServers(cfg, c.Name)
	if err != nil {
		return err
	}
	open, err := client.Login(ctx, c.Name)
	if err != nil {
		return text.Instead(err, mcp.ErrNoNeed, "the server does not ask for a login")
	}
	back := make(chan string)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := awaitBrowser(ctx, back)
	defer stop()
	fmt.Fprintln(seen{s.Out}, Speaks().Say(`Open this address in a browser and agree:

%s

If the browser then shows a page that does not load, copy the address of that
page, paste it here and press Enter:`, open))
	go func() {
		for lines := bufio.NewScanner(s.In); lines.Scan(); {
			select {
			case back <- lines.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case address := <-back:
			if err = client.FinishLogin(ctx, c.Name, address); errors.Is(err, mcp.ErrAddress) {
				fmt.Fprintln(s.Err, Speaks().Say("That is not the address; it begins with %s?", mcp.Redirect))
				continue
			}
			if err == nil {
				fmt.Fprintln(s.Out, Speaks().Say("logged in to %s", c.Name))
			}
			return err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitBrowser listens for the browser's return. If it cannot, people can still paste the
// address.
func awaitBrowser(ctx context.Context, back chan<- string) (stop func()) {
	r, err := http.NewRequest(http.MethodGet, mcp.Redirect, nil)
	if err != nil {
		return func() {}
	}
	listener, err := net.Listen("tcp", r.URL.Host)
	if err != nil {
		return func() {}
	}
	server := &http.Server{ReadHeaderTimeout: doctorWait, Handler: http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != r.URL.Path {
			http.NotFound(w, q)
			return
		}
		fmt.Fprintln(w, Speaks().Text("You can close this page and go back to the terminal."))
		select {
		case back <- "http://" + r.URL.Host + q.URL.RequestURI():
		case <-ctx.Done():
		}
	})}
	done := make(chan struct{})
	go func() { defer close(done); _ = server.Serve(listener) }() // stop ends it
	return func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			server.Close()
		}
		<-done
	}
}

// MCPLogout forgets the login to a tool server.
type MCPLogout struct {
	Name string `arg:"" help:"The server's name in mcp.servers."`
}

// Run deletes the stored login.
func (c MCPLogout) Run(cfg config.Config, s *Streams) error {
	client, err := toolServers(cfg, c.Name)
	if err != nil {
		return err
	}
	had, err := client.Logout(c.Name)
	if err == nil && !had {
		err = text.Tell("there is no login to %q", c.Name)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Out, Speaks().Say("logged out of %s", c.Name))
	return nil
}

// toolServers returns a client, not yet connected, after checking that it has a server of
// this name.
func toolServers(cfg config.Config, name string) (*mcp.Client, error) {
	if !slices.ContainsFunc(cfg.MCP.Servers, func(s config.MCPServer) bool { return s.Name == name }) {
		return nil, text.Tell("there is no tool server %q in mcp.servers", name)
	}
	return mcp.Open(setup.ToolServers(cfg))
}
