package latchkey

// The times of the next requests, in milliseconds. random is from 0 up to 1 and spreads the requests of many apps.

// untilDailyCheck is the next check of a license without seats: a day, plus or minus two hours.
func untilDailyCheck(random float64) int64 {
	return int64(22*float64(hour) + random*4*float64(hour))
}

// untilRefusedCheck is the next check of a refused license, which may be renewed or reinstated.
func untilRefusedCheck(random float64) int64 {
	return spread(float64(hour), random)
}

// untilHeartbeat is the next heartbeat. The seat is held for a time without one; nil if that is unknown.
func untilHeartbeat(heartbeat int64, seat *int64, random float64) int64 {
	third := float64(heartbeat)
	if seat != nil {
		third = float64(*seat) / 3
	}
	return spread(max(float64(second), min(float64(heartbeat), third)), random)
}

// untilRetry is the next attempt after so many failures in a row.
func untilRetry(failures int, hasSeat bool, random float64) int64 {
	longest := hour
	if hasSeat {
		longest = minute
	}
	return upperHalf(min(longest, 5*second<<min(failures-1, 20)), random)
}

// untilSeatPoll is the next request for a free seat after so many answers without one.
func untilSeatPoll(polls int, random float64) int64 {
	return upperHalf(min(5*minute, minute<<min(polls-1, 20)), random)
}

func upperHalf(step int64, random float64) int64 {
	return int64(float64(step)/2 + random*float64(step)/2)
}

// spread adds or takes a tenth.
func spread(milliseconds, random float64) int64 {
	return int64(milliseconds * (0.9 + random*0.2))
}
