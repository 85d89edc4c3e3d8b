package health

import (
	"parley/internal/chat"
	"parley/internal/text/catalog"
)

// Shards returns the connections of this process to a platform that has several.
func Shards(a chat.Adapter) []chat.Shard {
	if s, ok := a.(chat.Sharded); ok {
		if list := s.Shards(); len(list) > 0 && list[0].Of > 1 {
			return list
		}
	}
	return nil
}

// ShardFindings tells of each connection over which nothing is received.
func ShardFindings(a chat.Adapter) (list []Finding) {
	for _, one := range Shards(a) {
		if one.Err != nil {
			list = append(list, Concern(a.Platform()+" "+one.Name(), catalog.Told(one.Err)))
		}
	}
	return list
}
