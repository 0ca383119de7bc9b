// peers.c: the connections of the server and how long each may take.
#include "peers.h"
#include "../rt_state.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

static const double most_idle_seconds = 15;

// Where most of the places are taken, an idle connection gives its place up at once.
static const double crowded_idle_seconds = 0.5;

static double limit(const Peers *p, PeerPhase phase)
{
    switch (phase) {
    case PEER_IDLE:
        return p->count > PEERS_MOST * 3 / 4 ? crowded_idle_seconds : p->idle_seconds;
    case PEER_RECEIVING:
    case PEER_SENDING:
        return p->seconds;
    case PEER_WORKING:
        break;
    }
    return 1e9;
}

// A limit began; the lock is held.
static void look_in_time(Peers *p, const Peer *peer)
{
    if (peer->since + limit(p, peer->phase) < p->wakes)
        pthread_cond_signal(&p->changed);
}

static void *watch(void *context)
{
    Peers *p = context;
    pthread_mutex_lock(&p->lock);
    while (!p->stopping) {
        const double now = now_seconds();
        double wait = 3600;
        for (Peer *peer = p->first; peer; peer = peer->next) {
            const double left = peer->since + limit(p, peer->phase) - now;
            if (left <= 0)
                shutdown(peer->socket, SHUT_RDWR); // its thread sees the end of the stream
            wait = left <= 0 ? 1 : left < wait ? left : wait;
        }
        p->wakes = now + wait;
        const struct timespec t = { (time_t)p->wakes, (long)(1e9 * (p->wakes - (double)(time_t)p->wakes)) };
        pthread_cond_timedwait(&p->changed, &p->lock, &t);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

bool peers_open(Peers *p, int seconds)
{
    pthread_condattr_t monotonic;
    *p = (Peers){ .seconds = seconds, .idle_seconds = seconds < most_idle_seconds ? seconds : most_idle_seconds };
    pthread_mutex_init(&p->lock, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&p->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    p->running = pthread_create(&p->thread, NULL, watch, p) == 0;
    return p->running;
}

void peers_close(Peers *p)
{
    pthread_mutex_lock(&p->lock);
    p->stopping = true;
    pthread_cond_signal(&p->changed);
    pthread_mutex_unlock(&p->lock);
    if (p->running)
        pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->lock);
}

Peer *peer_open(Peers *p, int socket)
{
    Peer *peer = malloc(sizeof *peer);
    if (!peer)
        return NULL;
    *peer = (Peer){ .peers = p, .socket = socket, .phase = PEER_IDLE, .since = now_seconds() };
    pthread_mutex_lock(&p->lock);
    peer->next = p->first;
    p->first = peer;
    ++p->count;
    look_in_time(p, peer);
    pthread_mutex_unlock(&p->lock);
    return peer;
}

void peer_close(Peer *peer)
{
    Peers *p = peer->peers;
    pthread_mutex_lock(&p->lock);
    for (Peer **at = &p->first; *at; at = &(*at)->next)
        if (*at == peer) {
            *at = peer->next;
            break;
        }
    --p->count;
    pthread_mutex_unlock(&p->lock);
    free(peer);
}

void peer_phase(Peer *peer, PeerPhase phase)
{
    Peers *p = peer->peers;
    pthread_mutex_lock(&p->lock);
    if (phase != PEER_RECEIVING || peer->phase != PEER_RECEIVING)
        peer->since = now_seconds();
    peer->phase = phase;
    look_in_time(p, peer);
    pthread_mutex_unlock(&p->lock);
}

bool peer_gone(const Peer *peer)
{
    struct pollfd look = { .fd = peer->socket, .events = POLLRDHUP };
    return poll(&look, 1, 0) > 0 && (look.revents & (POLLRDHUP | POLLHUP | POLLERR | POLLNVAL));
}

int peers_count(Peers *p)
{
    pthread_mutex_lock(&p->lock);
    const int count = p->count;
    pthread_mutex_unlock(&p->lock);
    return count;
}

bool peers_busy(Peers *p)
{
    bool busy = false;
    pthread_mutex_lock(&p->lock);
    for (const Peer *peer = p->first; peer && !busy; peer = peer->next)
        busy = peer->phase != PEER_IDLE;
    pthread_mutex_unlock(&p->lock);
    return busy;
}
