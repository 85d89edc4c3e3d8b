package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"parley/internal/app/console"
	"parley/internal/app/endpoint"
	"parley/internal/app/trial"
	"parley/internal/app/webhooks"
	"parley/internal/app/whatif"
	"parley/internal/command/health"
	"parley/internal/tools/mcp"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"parley/internal/playbook/files"
)

// port owns the operator's port: the control page for the owner, and health, readiness and
// metrics for anybody.
type port struct {
	*base
	storage *storage
	vitals  *vitals
	models  *models
	rules   *files.Books
	mind    *mind
	front   *front
	page    *console.Page // nil without http.listen
	trials  *trial.Desk   // likewise
	apart   whatif.Build  // nil is the program's; tests have their own
	hooks   *webhooks.Hooks
	door    net.Listener // for webhooks alone; nil without http.hooks_listen
	ready   atomic.Bool  // webhooks and programs may deliver
	mcp     *mcp.Door    // for MCP clients; nil where it is off

	programs *endpoint.Endpoint // nil without http.api
}

// open opens the operator's port, if one is set, and makes the control page.
func (p *port) open() (net.Listener, error) {
	if p.cfg.HTTP.Listen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", p.cfg.HTTP.Listen)
	if err != nil {
		return nil, fmt.Errorf("http.listen: %w", err)
	}
	p.trials = p.newTrials()
	p.page = p.newPage(l.Addr().String())
	if err := p.trials.Open(); err != nil {
		p.log.Warn("what was being tried on the past is not known", "err", err)
	}
	p.storage.tried = p.trials.Drop
	p.front.platforms.members = p.page.Members
	if p.mcp = p.newDoor(); p.mcp != nil {
		p.store.Forgetting = p.expelling(p.store.Forgetting)
		p.page.Guarded(mcp.Pattern, p.mcp)
		p.page.Guarded("/.well-known/", http.NotFoundHandler()) // there a client looks for a login that a token needs not
	}
	return l, nil
}

// listen serves the port until ctx ends. Health, readiness and metrics need no login: they
// are not secret and change nothing.
func (p *port) listen(ctx context.Context, l net.Listener) {
	p.page.Beside("GET /healthz", http.HandlerFunc(p.healthz))
	p.page.Beside("GET /readyz", http.HandlerFunc(p.readyz))
	p.page.Beside("GET /metrics", promhttp.HandlerFor(p.counts.Registry, promhttp.HandlerOpts{}))
	if p.door == nil {
		p.page.Open(webhooks.Pattern, p.hooks)
	}
	if p.programs != nil {
		p.page.Open(endpoint.Pattern, p.programs)
	}
	p.background(func() {
		<-ctx.Done()
		p.trials.Close()
	})
	p.serve(ctx, l, p.page)
}

// serve serves a port until ctx ends.
func (p *port) serve(ctx context.Context, l net.Listener, h http.Handler) {
	server := &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second,
		WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	p.background(func() { _ = server.Serve(l) })
	p.background(func() {
		<-ctx.Done()
		_ = server.Close()
	})
}

func (p *port) healthz(w http.ResponseWriter, r *http.Request) {
	p.vitals.storage.look(r.Context())
	report(w, p.vitals.findings())
}

// readyPatience bounds the checks of /readyz.
const readyPatience = 5 * time.Second

// readyz also writes to and reads from the database, and asks the model.
func (p *port) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyPatience)
	defer cancel()
	err := p.vitals.beats.Ask(ctx, p.now(), p.store.File.Beat)
	list := p.vitals.findings()
	if f, ok := health.Found("database", err); ok && !slices.ContainsFunc(list, func(f health.Finding) bool { return f.Part == "database" }) {
		list = append(list, f)
	}
	if p.models.endpoint.Check != nil {
		if f, ok := health.Found("model", p.models.endpoint.Check(ctx)); ok {
			list = append(list, f)
		}
	}
	report(w, list)
}

// report answers 503 if something is unavailable, else 200.
func report(w http.ResponseWriter, list []health.Finding) {
	w.Header().Set("Content-Type", "application/json")
	problems := map[string]string{}
	for _, f := range list {
		problems[f.Part] = f.Why.String()
	}
	status := health.Worst(list)
	if status == health.Unavailable {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status.String(), "problems": problems}) // the client is gone
}
