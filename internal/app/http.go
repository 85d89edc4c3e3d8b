package app

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"parley/internal/health"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// openPort takes the operator's port, if there is one, and makes the control
// page for it.
func (a *app) openPort() (net.Listener, error) {
	if a.cfg.HTTP.Listen == "" {
		return nil, nil
	}
	l, err := net.Listen("tcp", a.cfg.HTTP.Listen)
	if err != nil {
		return nil, fmt.Errorf("http.listen: %w", err)
	}
	a.page = a.newPage(l.Addr().String())
	return l, nil
}

// listen serves the port until ctx ends: the control page for its owner, and
// for anybody health, readiness and metrics, which are
// not secret and change nothing.
func (a *app) listen(ctx context.Context, l net.Listener) {
	mux := http.NewServeMux()
	mux.Handle("/", a.page)
	mux.Handle("GET /healthz", a.page.Beside(http.HandlerFunc(a.healthz)))
	mux.Handle("GET /readyz", a.page.Beside(http.HandlerFunc(a.readyz)))
	mux.Handle("GET /metrics", a.page.Beside(promhttp.HandlerFor(a.counts.registry, promhttp.HandlerOpts{})))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 64 << 10}
	a.background(func() { _ = server.Serve(l) })
	a.background(func() {
		<-ctx.Done()
		_ = server.Close()
	})
}

func (a *app) healthz(w http.ResponseWriter, _ *http.Request) {
	report(w, a.findings())
}

// readyPatience bounds what /readyz asks.
const readyPatience = 5 * time.Second

// readyz also writes to the database and reads it, and asks for the model.
func (a *app) readyz(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), readyPatience)
	defer cancel()
	err := a.beats.Ask(ctx, a.now(), a.store.Beat)
	list := a.findings()
	if f, ok := health.Found("database", err); ok && !slices.ContainsFunc(list, func(f health.Finding) bool { return f.Part == "database" }) {
		list = append(list, f)
	}
	if a.model.Check != nil {
		if f, ok := health.Found("model", a.model.Check(ctx)); ok {
			list = append(list, f)
		}
	}
	report(w, list)
}

// report answers 503 for what is unavailable, and 200 otherwise.
func report(w http.ResponseWriter, list []health.Finding) {
	w.Header().Set("Content-Type", "application/json")
	problems := map[string]string{}
	for _, f := range list {
		problems[f.Part] = f.Why
	}
	status := health.Worst(list)
	if status == health.Unavailable {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"status": status.String(), "problems": problems}) // the client is gone
}
