#pragma once

// The one place that names the test framework's header and its version.
#include <catch2/catch.hpp>
