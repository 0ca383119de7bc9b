// peers.h: the connections of the server and how long each may take: a thread looks at them and cuts those that do not move.
#pragma once
#include <pthread.h>
#include <stdbool.h>

enum { PEERS_MOST = 64 }; // connections at once

// What is waited for.
typedef enum PeerPhase {
    PEER_IDLE,      // the client, for the headers of its next request
    PEER_RECEIVING, // the client, for the rest of that request
    PEER_WORKING,   // the server: no limit
    PEER_SENDING,   // the client, to take what is sent
} PeerPhase;

typedef struct Peers Peers;

typedef struct Peer {
    Peers *peers;
    int socket;
    PeerPhase phase;
    double since;
    struct Peer *next;
} Peer;

struct Peers {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    Peer *first;
    int count;
    bool running, stopping;
    double wakes; // when the thread looks again
    double seconds, idle_seconds;
};

// A request has to arrive as a whole within so many seconds, however its bytes come, and who is sent something has to take
// some of it; headers have a quarter of a minute at most. Starts the thread; false: it cannot be started.
bool peers_open(Peers *p, int seconds);
void peers_close(Peers *p);

// A connection begins; NULL: no memory. Its socket stays open until peer_close has returned.
Peer *peer_open(Peers *p, int socket);
void peer_close(Peer *peer);

// What is waited for from here on; the time begins anew, except from PEER_RECEIVING to PEER_RECEIVING.
void peer_phase(Peer *peer, PeerPhase phase);

// Has the client gone, or said that it sends nothing more?
bool peer_gone(const Peer *peer);

int peers_count(Peers *p);
bool peers_busy(Peers *p); // a request is under way
