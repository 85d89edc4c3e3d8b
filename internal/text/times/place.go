package times

import (
	_ "embed" // the zones
	"strings"
	"sync"
)

// ZoneNames are the time zones of the world that people live in, one a line, from the list
// of the IANA (zone1970.tab, in the public domain).
//
//go:embed zones.txt
var ZoneNames string

// cities are the zones by the places that they are named after, in small letters; "" for a
// name that two have.
var cities = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for name := range strings.Lines(ZoneNames) {
		name = strings.TrimSpace(name)
		city := strings.ToLower(strings.ReplaceAll(name[strings.LastIndexByte(name, '/')+1:], "_", " "))
		if _, twice := all[city]; twice {
			name = ""
		}
		all[city] = name
	}
	return all
})

// places are the zones that people call otherwise: countries of one zone, zones of North
// America by their names, and cities that no zone is named after.
var places = map[string]string{
	"eastern": "America/New_York", "central": "America/Chicago", "mountain": "America/Denver", "pacific": "America/Los_Angeles",
	"alaska": "America/Anchorage", "hawaii": "Pacific/Honolulu", "england": "Europe/London", "uk": "Europe/London",
	"great britain": "Europe/London", "ireland": "Europe/Dublin", "france": "Europe/Paris", "germany": "Europe/Berlin",
	"italy": "Europe/Rome", "austria": "Europe/Vienna", "switzerland": "Europe/Zurich", "poland": "Europe/Warsaw",
	"greece": "Europe/Athens", "turkey": "Europe/Istanbul", "israel": "Asia/Jerusalem", "egypt": "Africa/Cairo",
	"nigeria": "Africa/Lagos", "kenya": "Africa/Nairobi", "south africa": "Africa/Johannesburg", "india": "Asia/Kolkata",
	"pakistan": "Asia/Karachi", "thailand": "Asia/Bangkok", "japan": "Asia/Tokyo", "china": "Asia/Shanghai", "beijing": "Asia/Shanghai",
	"south korea": "Asia/Seoul", "philippines": "Asia/Manila", "sweden": "Europe/Stockholm", "norway": "Europe/Oslo",
	"denmark": "Europe/Copenhagen", "finland": "Europe/Helsinki", "belgium": "Europe/Brussels", "hungary": "Europe/Budapest",
	"argentina": "America/Argentina/Buenos_Aires", "colombia": "America/Bogota", "peru": "America/Lima",
	"san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "la": "America/Los_Angeles", "las vegas": "America/Los_Angeles",
	"san diego": "America/Los_Angeles", "boston": "America/New_York", "miami": "America/New_York", "atlanta": "America/New_York",
	"washington": "America/New_York", "philadelphia": "America/New_York", "houston": "America/Chicago", "dallas": "America/Chicago",
	"austin": "America/Chicago", "california": "America/Los_Angeles", "munich": "Europe/Berlin", "barcelona": "Europe/Madrid",
	"milan": "Europe/Rome", "geneva": "Europe/Zurich", "mumbai": "Asia/Kolkata", "delhi": "Asia/Kolkata", "osaka": "Asia/Tokyo",
	"köln": "Europe/Berlin", "münchen": "Europe/Berlin", "wien": "Europe/Vienna", "zürich": "Europe/Zurich", "tokio": "Asia/Tokyo",
	"moskau": "Europe/Moscow", "japón": "Asia/Tokyo", "londres": "Europe/London", "nueva york": "America/New_York", "токио": "Asia/Tokyo",
	"москве": "Europe/Moscow", "москва": "Europe/Moscow", "лондоне": "Europe/London", "нью-йорке": "America/New_York",
	"东京": "Asia/Tokyo", "北京": "Asia/Shanghai", "上海": "Asia/Shanghai", "伦敦": "Europe/London", "纽约": "America/New_York", "巴黎": "Europe/Paris",
}

// Place returns the zone that is named after a place, or has this name itself; "" for none.
func Place(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	for _, more := range []string{" right", " time", " zone", " time zone", " timezone", " standard", " standard time"} {
		name = strings.TrimSuffix(name, more)
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "the "), " standard")
	if zone := places[name]; zone != "" {
		return zone
	}
	if zone := cities()[name]; zone != "" {
		return zone
	}
	for zone := range strings.Lines(ZoneNames) {
		if zone = strings.TrimSpace(zone); strings.EqualFold(zone, strings.ReplaceAll(name, " ", "_")) {
			return zone
		}
	}
	if z, ok := zoneClocks[name]; ok && z.place != "" {
		return z.place
	}
	return ""
}
