package tools

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"parley/internal/chat"
	"parley/internal/text/catalog"
	"parley/internal/text/times"
)

// layoutDay is said in more than one place.
const layoutDay = "Monday, 2 January 2006"

//go:embed clock.md
var clockText string

// CurrentTime returns the tool current_time. zone names the time zone of a person
// (IANA, such as Europe/Zurich); nil, "" and unknown names mean UTC. now nil is
// time.Now.
func CurrentTime(now func() time.Time, zone func(context.Context, chat.User) string) Tool {
	if now == nil {
		now = time.Now
	}
	type args struct {
		Zone string `json:"time_zone,omitempty" jsonschema:"IANA name such as Europe/Zurich; leave out for the person's own"`
		When string `json:"when,omitempty" jsonschema:"a time or a day in the person's words, to learn its date and how far it is"`
	}
	meta := Meta{Name: "current_time", Words: "tells the date and the time",
		Description: strings.TrimSpace(clockText), Category: About, ReadOnly: true}
	return Func(meta, func(ctx context.Context, c Call, a args) (Result, error) {
		place := time.UTC
		if a.Zone != "" {
			asked, err := loadZone(a.Zone)
			if err != nil {
				return Result{}, &ArgumentError{[]string{fmt.Sprintf("arguments/time_zone: unknown time zone %q", a.Zone)}}
			}
			place = asked
		} else if zone != nil {
			if own, err := loadZone(zone(ctx, c.Who)); err == nil {
				place = own
			}
		}
		if a.Zone == "" {
			place = shown(place, c, now())
		}
		t := now().In(place)
		if a.When != "" {
			return dated(ctx, a.When, t)
		}
		if strings.HasPrefix(place.String(), "UTC") {
			return Result{Content: catalog.Time(ctx, t, layoutDay) + t.Format(", 15:04:05 MST")}, nil
		}
		return Result{Content: catalog.Time(ctx, t, layoutDay) + t.Format(", 15:04:05 MST (UTC-07:00), ") + place.String()}, nil
	})
}

// shown is a person's time zone where it is said: alone with them by its name, which tells
// where they are; before others by what its clocks show.
func shown(own *time.Location, c Call, at time.Time) *time.Location {
	if c.Direct || own == time.UTC {
		return own
	}
	_, offset := at.In(own).Zone()
	return time.FixedZone(at.In(own).Format("UTC-07:00"), offset)
}

// dated returns the date of a time in somebody's words, and how far it is from now.
func dated(ctx context.Context, said string, now time.Time) (Result, error) {
	at, ok := times.Day(said, now, catalog.Of(ctx).Tag())
	if !ok {
		past, err := ParseDay(catalog.Of(ctx), said, now, now.Location())
		if err != nil {
			return Result{}, err
		}
		at = past
	}
	day := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	date := catalog.Time(ctx, at, layoutDay)
	switch days := int(day(at).Sub(day(now)).Hours() / 24); days {
	case 0:
		return Result{Content: catalog.Say(ctx, "%s: that is today.", date)}, nil
	case -1:
		return Result{Content: catalog.Say(ctx, "%s: that was yesterday.", date)}, nil
	case 1:
		return Result{Content: catalog.Say(ctx, "%s: that is tomorrow.", date)}, nil
	default:
		if days < 0 {
			return Result{Content: catalog.Say(ctx, "%s: that was %d days ago.", date, -days)}, nil
		}
		return Result{Content: catalog.Say(ctx, "%s: that is in %d days.", date, days)}, nil
	}
}

// loadZone refuses "Local": the machine's zone is not the person's.
func loadZone(name string) (*time.Location, error) {
	if name == "Local" {
		return nil, fmt.Errorf("unknown time zone %s", name)
	}
	return time.LoadLocation(name)
}
