/* Ricart–Agrawala in Promela, to compare Baton's model checker with SPIN.
 *
 *   spin -DENTRIES=5 [-DCHANNELS] -a ricart_agrawala.pml     (bench/peers/run_spin does it all)
 *
 * Three processes, each of which asks ENTRIES times, and one FIFO channel for each ordered pair.
 * The protocol is that of src/algorithms/mutex/ricart_agrawala, and so is the grain: a handler with all that
 * it sends is one step. A state is what the class calls its state, the channels, and how often each
 * process has asked; nothing else. So the states that SPIN stores are in one-to-one correspondence
 * with those that Baton reaches: 1,617,727 with 5 requests of each process.
 *
 * Checked: mutual exclusion, and that everybody has been served when nothing can happen any more.
 *
 * It is meant to be as fast as SPIN allows: one process whose only control state is its loop, the
 * handlers expanded for constant processes, a timestamp in one byte, and channels in plain bytes,
 * which make the state vector smaller than SPIN's own. -DCHANNELS takes SPIN's own; those together
 * with a process of SPIN for each process of the group are slower still.
 */
#ifndef ENTRIES
#define ENTRIES 5
#endif
#define N 3
/* No clock exceeds the number of requests, and a timestamp must fit into a byte. */
#if ENTRIES < 1 || N * ENTRIES * N + N - 1 > 255
#error ENTRIES must be 1 to 28
#endif

#define RELEASED 0
#define WANTED 1
#define HELD 2

/* {clock, node} as one number, of which the order is that of timestamps; never 0. */
#define TIMESTAMP(clock, node) ((clock) * N + (node))
#define CLOCK(timestamp) ((timestamp) / N)
#define NODE(timestamp) ((timestamp) % N)

#define EVERYONE ((1 << N) - 1)
#define BIT(node) (1 << (node))

typedef Node {
  byte clock;
  byte mode;
  byte mine;        /* the timestamp of my request; 0 while I have none */
  byte awaited;     /* who has not replied to it, a bit for each */
  byte deferred[2]; /* requests that I answer when I leave, the first to come first; 0: none */
  byte asked;       /* how often */
};
Node node[N];

/* A message has two numbers. A request: its timestamp and 0. A reply: the timestamp of the request
 * that it answers and the clock of who replies, which is not 0. At most one of each is under way
 * from one process to another.
 *   send(channel, timestamp, clock)
 *   HAS_MESSAGE(channel)   guards a handler, which then sees
 *   ABOUT, AT              the two numbers, and ends with
 *   done_with(channel)
 */
#ifdef CHANNELS

#define CHANNEL(name) chan name = [2] of { byte, byte }
hidden byte about, at;
#define ABOUT(channel) about
#define AT(channel) at
#define HAS_MESSAGE(channel) channel?about,at
inline send(channel, timestamp, clock_) { channel!timestamp,clock_ }
inline done_with(channel) { about = 0; at = 0 }

#else

typedef Channel {
  byte about[2]; /* 0: no message */
  byte at[2];
};
#define CHANNEL(name) Channel name
#define ABOUT(channel) channel.about[0]
#define AT(channel) channel.at[0]
#define HAS_MESSAGE(channel) channel.about[0] != 0
inline send(channel, timestamp, clock_) {
  if
  :: channel.about[0] == 0 -> channel.about[0] = timestamp; channel.at[0] = clock_
  :: else ->
    assert(channel.about[1] == 0);
    channel.about[1] = timestamp; channel.at[1] = clock_
  fi
}
inline done_with(channel) {
  channel.about[0] = channel.about[1]; channel.at[0] = channel.at[1];
  channel.about[1] = 0; channel.at[1] = 0
}

#endif

CHANNEL(from_0_to_1); CHANNEL(from_0_to_2);
CHANNEL(from_1_to_0); CHANNEL(from_1_to_2);
CHANNEL(from_2_to_0); CHANNEL(from_2_to_1);

/* The handlers of process `i`, whose channels to the others are `to_j` and `to_k`. */

inline request(i, to_j, to_k) {
  node[i].asked++;
  node[i].mode = WANTED;
  node[i].clock++;
  node[i].mine = TIMESTAMP(node[i].clock, i);
  node[i].awaited = EVERYONE - BIT(i);
  send(to_j, node[i].mine, 0);
  send(to_k, node[i].mine, 0)
}

inline answer_deferred(i, which, j, to_j, to_k) {
  if
  :: NODE(node[i].deferred[which]) == j -> send(to_j, node[i].deferred[which], node[i].clock)
  :: else -> send(to_k, node[i].deferred[which], node[i].clock)
  fi;
  node[i].deferred[which] = 0
}

inline release(i, j, to_j, to_k) {
  node[i].mode = RELEASED;
  node[i].mine = 0;
  if
  :: node[i].deferred[0] != 0 ->
    answer_deferred(i, 0, j, to_j, to_k);
    if
    :: node[i].deferred[1] != 0 -> answer_deferred(i, 1, j, to_j, to_k)
    :: else
    fi
  :: else
  fi
}

inline observe(i, seen) {
  if
  :: seen > node[i].clock -> node[i].clock = seen
  :: else
  fi
}

inline upon_request(i, from_j, to_j) {
  observe(i, CLOCK(ABOUT(from_j)));
  if
  :: node[i].mode == HELD || (node[i].mode == WANTED && node[i].mine < ABOUT(from_j)) ->
    if
    :: node[i].deferred[0] == 0 -> node[i].deferred[0] = ABOUT(from_j)
    :: else -> node[i].deferred[1] = ABOUT(from_j)
    fi
  :: else -> send(to_j, ABOUT(from_j), node[i].clock)
  fi
}

inline upon_reply(i, j, k, from_j) {
  observe(i, AT(from_j));
  if
  :: node[i].mode == WANTED && ABOUT(from_j) == node[i].mine ->
    node[i].awaited = node[i].awaited & (EVERYONE - BIT(j));
    if
    :: node[i].awaited == 0 ->
      node[i].mode = HELD;
      assert(node[j].mode != HELD && node[k].mode != HELD)
    :: else
    fi
  :: else
  fi
}

inline receive(i, j, k, from_j, to_j) {
  if
  :: AT(from_j) == 0 -> upon_request(i, from_j, to_j)
  :: else -> upon_reply(i, j, k, from_j)
  fi;
  done_with(from_j)
}

#define WANTS(i) node[i].mode == RELEASED && node[i].asked < ENTRIES
#define SERVED(i) (node[i].mode == RELEASED && node[i].asked == ENTRIES)

/* All steps of process `i`. */
#define STEPS(i, j, k, to_j, to_k, from_j, from_k)                      \
  :: d_step { WANTS(i) -> request(i, to_j, to_k) }                      \
  :: d_step { node[i].mode == HELD -> release(i, j, to_j, to_k) }       \
  :: d_step { HAS_MESSAGE(from_j) -> receive(i, j, k, from_j, to_j) }   \
  :: d_step { HAS_MESSAGE(from_k) -> receive(i, k, j, from_k, to_k) }

active proctype group() {
  do
  STEPS(0, 1, 2, from_0_to_1, from_0_to_2, from_1_to_0, from_2_to_0)
  STEPS(1, 0, 2, from_1_to_0, from_1_to_2, from_0_to_1, from_2_to_1)
  STEPS(2, 0, 1, from_2_to_0, from_2_to_1, from_0_to_2, from_1_to_2)
  /* Leads back to the same state: a transition, but no further state. */
  :: d_step { timeout -> assert(SERVED(0) && SERVED(1) && SERVED(2)) }
  od
}
