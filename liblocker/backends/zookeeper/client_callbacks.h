#pragma once

#include <zookeeper/zookeeper.h>

#include "backends/zookeeper/operations.h"

namespace locker::backends::zookeeper {

// What the client calls, on its threads: each makes a letter of what it is told. `data` and
// `context` are numbers of a mailbox.
void hear_session(zhandle_t* client, int type, int state, const char* path, void* context);
void hear_watch(zhandle_t* client, int type, int state, const char* path, void* context);
void hear_identity(int code, const void* data);

void hear_done(int code, const void* data);
void hear_stat(int code, const ::Stat* stat, const void* data);
void hear_data(int code, const char* value, int size, const ::Stat* stat, const void* data);
void hear_names(int code, const ::String_vector* names, const void* data);
void hear_path(int code, const char* path, const void* data);
void hear_created(int code, const char* path, const ::Stat* stat, const void* data);
void hear_access(int code, ::ACL_vector* list, ::Stat* stat, const void* data);

Stat to_stat(const ::Stat& stat);

}  // namespace locker::backends::zookeeper
