#include "my_lock.h"

int main(int argc, char** argv) { return baton::lab::algorithm<MyLock>().command_line(argc, argv); }
