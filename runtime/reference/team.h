// team.h: independent items of work spread over threads.
#pragma once

enum { TEAM_MOST = 64 };

// Items first .. last-1 of a work. No two calls that run at once have the same member, 0 .. members-1, or an item in common.
typedef void TeamWork(void *context, int member, int first, int last);

// The processors that this process may use, at most TEAM_MOST.
int team_members(void);

// Does all of `items` items, each of some `cost` multiply-adds, in the caller and at most members - 1 threads. Members that
// would get little to do, or no thread, have no part in it.
void team_run(int members, int items, int cost, TeamWork *work, void *context);
