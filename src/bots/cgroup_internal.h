/* Only for the cgroup_*.c files. */
#ifndef BOTS_CGROUP_INTERNAL_H
#define BOTS_CGROUP_INTERNAL_H

#include "base/buffer.h"
#include "base/slice.h"
#include "bots/cgroup.h"

#define GROUP_PREFIX "skirmish-"
#define RUNNER_PREFIX GROUP_PREFIX "runner-"
#define REFEREE "referee"

enum { TEXT_MAX = 4096, CGROUP_SOURCES = 17, CGROUP_CONTROLLERS = 3 };

/* Where a feature comes from; the best source of each feature comes first. */
typedef struct Source {
    CgroupFeature feature;
    CgroupTree tree;
    const char *file;
    const char *trial; /* written to the trial group; NULL: opening it is enough */
    int flags;
    bool without_cpu; /* not used if the tree also has the "cpu" controller */
} Source;

extern const Source cgroup_sources[CGROUP_SOURCES];

typedef struct V2Controller {
    const char *name;
    CgroupFeature feature;
} V2Controller;

extern const V2Controller cgroup_controllers[CGROUP_CONTROLLERS];

/* A prefix of the pid in the name of a group: nothing in the initial pid namespace, otherwise the
   number of the namespace ("4026532201."). Pids mean nothing in other namespaces: without this
   prefix, a container that sees the same groups would take groups of others for leftovers. */
enum { CGROUP_SPACE_SIZE = 16 };
void cgroup_space(char space[CGROUP_SPACE_SIZE]);

bool cgroup_write_text(int file, const char *text);
bool cgroup_write_at(int directory, const char *name, const char *text);

/* Reads the beginning of a file into `text` as a string; "" if it cannot be read. */
Slice cgroup_read_at(int directory, const char *name, char text[TEXT_MAX]);

bool cgroup_has_word(Slice text, const char *wanted);
void cgroup_close_file(int *file);

/* Enables (sign '+') or disables (sign '-') those of the controllers in `given` that need it for
   the groups in `directory`. On failure, returns false with errno set and the attempted text in
   `change`. */
bool cgroup_give_controllers(int directory, const char *control, Slice given, char sign,
                             char change[64]);

/* Creates the group's directory in one tree and opens the files that are needed there. On failure,
   returns false with errno set: EEXIST if the name is taken. */
bool cgroup_make_directory(Cgroup *group, CgroupTree tree, const char *path, Error *error);

/* A group without directories and features. */
Cgroup cgroup_none(void);

/* Whether a feature comes from this tree; the share is considered only with `share`. */
bool cgroup_needs(const CgroupHost *host, CgroupTree tree, bool share);

/* ---- cgroup_trees.c ---- */

typedef struct CgroupKernelFacts {
    Buffer mounts;
    Buffer self;
    CgroupFacts facts;
} CgroupKernelFacts;

/* The kernel's own facts, from /proc. The caller frees them. */
void cgroup_read_facts(CgroupKernelFacts *kernel);
void cgroup_free_facts(CgroupKernelFacts *kernel);

/* Finds where the trees are mounted, but nothing inside them. */
void cgroup_locate(CgroupHost *host, const CgroupFacts *facts);

/* Our own group; but if a runner (this one or the one that started us) stepped aside into it, the
   group that the runner came from. In that case `home` becomes the rest of the path; otherwise it
   is unchanged. */
void cgroup_own_base(const CgroupPlace *place, char own[CGROUP_PATH_MAX],
                     char home[CGROUP_PATH_MAX]);

/* ---- cgroup_leftovers.c ---- */

/* Removes a runner's group and the groups in it. Groups that still contain a process stay. */
void cgroup_remove_runner(int base, const char *name);

/* Kills and removes the groups in `base` whose runner is dead. Groups whose last process is still
   dying stay until the next call. */
void cgroup_remove_leftovers(int base);

#endif
