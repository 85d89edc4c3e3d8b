package console

import (
	"encoding/json"
	"net/http"
)

// icon is a picture of the app.
type icon struct {
	Src     string `json:"src"`
	Sizes   string `json:"sizes"`
	Type    string `json:"type"`
	Purpose string `json:"purpose,omitempty"`
}

// manifest lets a phone or a desktop install the page as an app. Its addresses are
// relative to its own.
func (p *Page) manifest(w http.ResponseWriter, r *http.Request) {
	const png = "image/png"
	up := root(r) // "./", or "../" of members' pages
	w.Header().Set("Content-Type", "application/manifest+json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // the reader is gone
		"id": "./", "name": p.o.Name, "short_name": p.o.Name, "start_url": "./", "scope": "./", "display": "standalone",
		"background_color": "#f6f7f9", "theme_color": "#2457d6",
		"icons": []icon{{up + "icon.svg", "any", "image/svg+xml", ""},
			{up + "icon-192.png", "192x192", png, "any"}, {up + "icon-512.png", "512x512", png, "any maskable"}},
	})
}
